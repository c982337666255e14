/**
 * Whether runs may start and write. While it is closed, events are collected and nothing runs; when it closes, what runs is aborted.
 * A manager without an election has a gate that is always open.
 *
 * @internal
 */
export interface Gate {
  readonly isOpen: boolean;
  /** Called after each opening and closing. Returns its way out. */
  onChange(callback: () => void): () => void;
  /** Called before each attempt of a write. Throws when it must not be sent. */
  checkWrite(): void;
}

export const openGate: Gate = { isOpen: true, onChange: () => () => {}, checkWrite: () => {} };
