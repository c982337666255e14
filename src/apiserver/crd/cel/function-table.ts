import type { CelValue } from './values.ts';

/** Called with its receiver, if it has one, as first argument. Gives undefined when the arguments do not fit. */
export type CelFunction = (...args: CelValue[]) => CelValue | undefined;

/** `name` for functions, `.name` for methods; several libraries may know the same name for different types. */
export type FunctionTable = Readonly<Record<string, CelFunction>>;
