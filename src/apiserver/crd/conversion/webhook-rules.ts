import { clientConfigErrors } from '../../admission/webhook/client-config-rules.ts';
import { type FieldError, invalid, required } from '../../request/field-error.ts';
import { asArray, asString, getPath, isObject, type JsonObject } from '../../values/json.ts';
import { dns1035Label } from '../../values/name-rules.ts';

const KNOWN_VERSIONS = ['v1', 'v1beta1'];

/**
 * Why `spec.conversion.webhook` cannot be what the strategy Webhook needs, by the names that the real server has for it inside.
 * A bundle that is not one keeps a definition from being served, and is refused only where that would be too late.
 */
export function conversionWebhookErrors(
  { clientConfig, conversionReviewVersions }: JsonObject,
  mayHaveWrongBundle: boolean,
): FieldError[] {
  const field = 'spec.conversion.webhookClientConfig';
  const errors = isObject(clientConfig)
    ? [
        ...clientConfigErrors(clientConfig, field),
        ...(mayHaveWrongBundle ? [] : bundleErrors(asString(clientConfig.caBundle), `${field}.caBundle`)),
      ]
    : [required(field, 'required when strategy is set to Webhook')];
  return [...errors, ...versionErrors(asArray(conversionReviewVersions).map(asString))];
}

/** Whether `spec.conversion.webhook` of a definition has a bundle that cannot be one. What is in it is judged when it is used. */
export function hasWrongBundle(crd: JsonObject): boolean {
  const bundle = asString(getPath(crd, 'spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'));
  return bundleErrors(bundle, '').length > 0;
}

function bundleErrors(bundle: string, field: string): FieldError[] {
  const text = Buffer.from(bundle, 'base64').toString();
  if (text === '' || /-----BEGIN CERTIFICATE-----/.test(text)) return [];
  const detail = 'unable to load root certificates: unable to parse bytes as PEM block';
  return [invalid(field, bundle, detail)];
}

function versionErrors(versions: readonly string[]): FieldError[] {
  const field = 'spec.conversion.conversionReviewVersions';
  if (versions.length === 0) return [required(field)];
  const errors = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalid(`${field}[${index}]`, version, 'duplicate version')];
    return dns1035Label(version, false).map((problem) => invalid(`${field}[${index}]`, version, problem));
  });
  if (versions.some((version) => KNOWN_VERSIONS.includes(version))) return errors;
  return [...errors, invalid(field, [...versions], `must include at least one of ${KNOWN_VERSIONS.join(', ')}`)];
}
