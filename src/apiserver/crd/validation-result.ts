import type { FieldError } from '../request/field-error.ts';

/** A complaint with the text by which repeated ones are recognised. */
export interface Complaint {
  readonly text: string;
  readonly error: FieldError;
}

/**
 * What checking one value found. The real server also counts the checks that passed, and shows of several failed
 * alternatives (anyOf, oneOf) the complaints of the one with most; so `passed` has to be counted as it counts.
 */
export class ValidationResult {
  readonly complaints: Complaint[] = [];
  #texts: Set<string> | undefined;
  passed = 0;

  get isValid(): boolean {
    return this.complaints.length === 0;
  }

  add(text: string, error: FieldError): this {
    this.#texts ??= new Set();
    if (!this.#texts.has(text)) this.complaints.push({ text, error });
    this.#texts.add(text);
    return this;
  }

  merge(other: ValidationResult): this {
    for (const { text, error } of other.complaints) this.add(text, error);
    this.passed += other.passed;
    return this;
  }
}
