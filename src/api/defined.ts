/** Options without those that are there and undefined. */
export type Defined<O> = { [K in keyof O]: Exclude<O[K], undefined> };

/** Options of which each one is set. */
export type Settled<O> = { [K in keyof O]-?: Exclude<O[K], undefined> };

/** An option that is undefined is an option that is not set: it must not take the place of a default when options are spread. */
export function defined<O extends object>(options: O): Defined<O> {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Defined<O>;
}
