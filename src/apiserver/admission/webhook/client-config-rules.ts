import { type FieldError, invalid, required } from '../../request/field-error.ts';
import { asObject, asString, isObject, type JsonObject } from '../../values/json.ts';
import { dnsSubdomain } from '../../values/name-rules.ts';

const FORM = '; desired format: https://host[/path]';

/** Why a webhook cannot be called where `clientConfig` says that it is. */
export function clientConfigErrors(config: JsonObject, field: string): FieldError[] {
  const [hasUrl, hasService] = [config.url !== undefined, isObject(config.service)];
  if (hasUrl === hasService) return [required(field, 'exactly one of url or service is required')];
  if (hasUrl) return urlErrors(asString(config.url), `${field}.url`);
  return serviceErrors(asObject(config.service), `${field}.service`);
}

function urlErrors(text: string, field: string): FieldError[] {
  const [, scheme = '', host = '', rest = ''] = /^(?:([a-zA-Z][\w+.-]*):)?(?:\/\/([^/?#]*))?(.*)$/s.exec(text) ?? [];
  const errors: FieldError[] = [];
  const refuse = (value: string, detail: string) => errors.push(invalid(field, value, detail));
  if (scheme !== 'https') refuse(scheme, `'https' is the only allowed URL scheme${FORM}`);
  const at = host.lastIndexOf('@');
  if (host === '') refuse('', `host must be specified${FORM}`);
  if (at >= 0) refuse(host.slice(0, at), 'user information is not permitted in the URL');
  const [before = '', fragment = ''] = rest.split('#');
  const query = before.split('?')[1] ?? '';
  if (fragment !== '') refuse(fragment, 'fragments are not permitted in the URL');
  if (query !== '') refuse(query, 'query parameters are not permitted in the URL');
  return errors;
}

function serviceErrors(service: JsonObject, field: string): FieldError[] {
  const errors = ['name', 'namespace']
    .filter((part) => asString(service[part]) === '')
    .map((part) => required(`${field}.${part}`));
  const { port } = service;
  if (typeof port === 'number' && (port < 1 || port > 65_535)) {
    const detail = 'port is not valid: must be between 1 and 65535, inclusive';
    errors.push(invalid(`${field}.port`, port, detail));
  }
  return [...errors, ...pathErrors(asString(service.path), `${field}.path`)];
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')];
  const errors = path.startsWith('/') ? [] : [invalid(field, path, "must start with a '/'")];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...errors,
    ...segments.flatMap((segment, index) => {
      if (segment === '') return [invalid(field, path, `segment[${index}] may not be empty`)];
      return dnsSubdomain(segment, false).map((problem) => invalid(field, path, `segment[${index}]: ${problem}`));
    }),
  ];
}
