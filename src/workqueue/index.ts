/**
 * Work queues: what to do, each item once, delayed, rate limited, by priority. client-go's `util/workqueue`, usable on its own.
 *
 * @packageDocumentation
 */
export { DelayingQueue } from './delaying-queue.ts';
export { type PriorityOptions, PriorityQueue } from './priority-queue.ts';
export type { QueueStatus } from './queue-status.ts';
export {
  BucketLimiter,
  type BucketLimiterOptions,
  type DefaultLimiterOptions,
  defaultRateLimiter,
  ExponentialLimiter,
  type ExponentialLimiterOptions,
  FastSlowLimiter,
  type FastSlowLimiterOptions,
  type ItemLimiterOptions,
  MaxOfLimiter,
  MaxWaitLimiter,
} from './rate-limiters.ts';
export { RateLimitingQueue, type RateLimitingQueueOptions } from './rate-limiting-queue.ts';
export { WorkQueue } from './work-queue.ts';
export type { GetOptions, Queue, RateLimiter, WorkQueueOptions } from './workqueue.ts';
