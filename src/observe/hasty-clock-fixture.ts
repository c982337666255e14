import { FakeClock } from './fake-clock.ts';

/** Each look at the monotonic time takes a millisecond of it, so that slices end after a few questions; else nothing moves. */
export class HastyClock extends FakeClock {
  /** While false, a look takes no time. */
  isHasty = true;
  #looks = 0;

  override monotonicMs(): number {
    if (this.isHasty) this.#looks++;
    return super.monotonicMs() + this.#looks;
  }
}
