import { type FieldError, invalid, required } from '../request/field-error.ts';
import { dnsSubdomain, type NameRule } from '../values/name-rules.ts';

const PATH_CHARACTERS = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH = new RegExp(`^${PATH_CHARACTERS}$`);

export function validateText(text: string, rule: NameRule, field: string): FieldError[] {
  return rule(text, false).map((problem) => invalid(field, text, problem));
}

/** As `validateText`, for what may be empty. */
export function validateTextIfAny(text: string, rule: NameRule, field: string): FieldError[] {
  return text === '' ? [] : validateText(text, rule, field);
}

/** Such as "acme.io/foo": a domain, and a path below it. The part that is wrong is shown. */
export function validateDomainPath(text: string, field: string): FieldError[] {
  if (text === '') return [required(field)];
  const slash = text.indexOf('/');
  const [domain, path] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash <= 0 || path === '') {
    return [invalid(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = validateText(domain, dnsSubdomain, field);
  if (PATH.test(path)) return errors;
  return [...errors, invalid(field, path, `Invalid path (regex used for validation is '${PATH_CHARACTERS}')`)];
}
