import type { StoreSnapshot } from './storage.ts';

/** What an `ApiServer` had stored at one moment. */
export class ServerSnapshot {
  /** @internal */
  readonly content: StoreSnapshot;

  /** @internal */
  constructor(content: StoreSnapshot) {
    this.content = content;
  }

  get resourceVersion(): string {
    return String(this.content.revision);
  }
}
