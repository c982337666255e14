/** What is asked for on the command line. */
export interface TopRequest {
  readonly namespace: string;
  readonly name: string | undefined;
  /** Where health servers tell what waits. */
  readonly health: readonly string[];
  readonly plain: boolean;
}
