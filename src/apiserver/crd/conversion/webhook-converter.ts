import { WebhookCallError, type WebhookClient } from '../../admission/webhook/webhook-client.ts';
import { statusError } from '../../request/status-error.ts';
import { asString, type JsonObject } from '../../values/json.ts';
import { metadataOf } from '../../values/object-meta.ts';
import type { ConversionWebhook } from '../definition.ts';
import { ConversionProblem, conversionReview, conversionReviewVersion, convertedObjects } from './conversion-review.ts';
import { acceptConverted } from './converted-object.ts';

/** The real server's, which no definition can change. */
const TIMEOUT_SECONDS = 30;

/** What a converter needs of the server. */
export interface ConverterServer {
  readonly webhooks: Pick<WebhookClient, 'post'>;
  uid(): string;
}

/** An object, with its kind and apiVersion, as an object of another version. Throws a 500 `StatusError`. */
export type Convert = (object: JsonObject, apiVersion: string) => Promise<JsonObject>;

/** Asks the webhook of a definition, one object at a time, as the real server does. */
export function webhookConverter(
  { webhooks, uid }: ConverterServer,
  { clientConfig, reviewVersions }: ConversionWebhook,
): Convert {
  const ask = async (object: JsonObject, apiVersion: string, conversion: string): Promise<JsonObject> => {
    const review = { uid: uid(), reviewVersion: conversionReviewVersion(reviewVersions) };
    const failed = (error: unknown) => {
      const isExpected = error instanceof ConversionProblem || error instanceof WebhookCallError;
      return isExpected ? new ConversionProblem(`${conversion} failed: ${error.message}`) : error;
    };
    const converted = await webhooks
      .post(clientConfig, conversionReview(object, apiVersion, review), TIMEOUT_SECONDS)
      .then((answer) => convertedObjects(answer, review))
      .catch((error: unknown) => {
        throw failed(error);
      });
    const [first] = converted;
    if (converted.length !== 1 || first === undefined) {
      throw new ConversionProblem(`${conversion} returned ${converted.length} objects, expected 1`);
    }
    return acceptConverted(object, first, apiVersion, conversion);
  };
  return async (given, apiVersion) => {
    // A revision is not a part of what is stored.
    const { resourceVersion: _revision, ...metadata } = metadataOf(given);
    const object: JsonObject = { ...given, metadata };
    const conversion = `conversion webhook for ${asString(object.apiVersion)}, Kind=${asString(object.kind)}`;
    try {
      return await ask(object, apiVersion, conversion);
    } catch (error) {
      if (error instanceof ConversionProblem) throw statusError(500, '', error.message);
      throw error;
    }
  };
}
