import { quote } from '../../apply/go-value.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../../values/json.ts';

const GROUP = 'apiextensions.k8s.io';
const KIND = 'ConversionReview';

/** The webhook has answered, and not with what it was asked for. */
export class ConversionProblem extends Error {
  override readonly name = 'ConversionProblem';
}

/** The version of ConversionReview that a webhook is sent: the first that it and the server know. */
export function conversionReviewVersion(versions: readonly string[]): string {
  const known = versions.find((version) => version === 'v1' || version === 'v1beta1');
  if (known === undefined) throw new ConversionProblem('no supported conversion review versions');
  return known;
}

export interface ReviewedConversion {
  readonly uid: string;
  readonly reviewVersion: string;
}

export function conversionReview(
  object: JsonObject,
  desiredAPIVersion: string,
  { uid, reviewVersion }: ReviewedConversion,
): JsonObject {
  return {
    kind: KIND,
    apiVersion: `${GROUP}/${reviewVersion}`,
    request: { uid, desiredAPIVersion, objects: [object] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/** The objects of an answer. Throws `ConversionProblem` for an answer that is not one to this review, or says no. */
export function convertedObjects(answer: JsonValue, { uid, reviewVersion }: ReviewedConversion): JsonValue[] {
  const review = asObject(answer);
  checkKind(review, reviewVersion);
  const { response } = review;
  if (!isObject(response)) throw new ConversionProblem('no response provided');
  if (reviewVersion === 'v1' && asString(response.uid) !== uid) {
    throw new ConversionProblem(`expected response.uid=${quote(uid)}, got ${quote(asString(response.uid))}`);
  }
  const { status, message } = asObject(response.result);
  if (status !== 'Success') {
    const why = asString(message);
    throw new ConversionProblem(why || `response.result.status was '${asString(status)}', not 'Success'`);
  }
  return asArray(response.convertedObjects);
}

function checkKind({ kind, apiVersion }: JsonObject, reviewVersion: string): void {
  const [said, version] = [asString(kind), asString(apiVersion)];
  if (said === '') throw new ConversionProblem("Object 'Kind' is missing in the answer");
  if (said !== KIND || (version !== `${GROUP}/v1` && version !== `${GROUP}/v1beta1`)) {
    throw new ConversionProblem(
      `no kind ${quote(said)} is registered for version ${quote(version)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const found = version.slice(GROUP.length + 1);
  if (found !== reviewVersion) {
    throw new ConversionProblem(`converting (${found}.${KIND}) to (${reviewVersion}.${KIND}): unknown conversion`);
  }
}
