import type { ListMeta, TypeMeta } from './metadata.ts';

/** `metav1.Status`: how the API server says no, as a body or as an ERROR event of a watch. */
export interface Status extends TypeMeta {
  metadata?: ListMeta;
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** What a refusal is about. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** One reason for a refusal, most often a field of the object. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** Whether a decoded body is a `Status`, whatever the HTTP code that came with it. */
export function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && (body as TypeMeta).kind === 'Status';
}
