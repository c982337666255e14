import { FakeClock } from './fake-clock.ts';

/** Each look at the monotonic time takes a millisecond of it, so that slices end after a few questions; else nothing moves. */
export class HastyClock extends FakeClock {
  #looks = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + ++this.#looks;
  }
}
