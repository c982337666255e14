import { TidewatchError } from '../api/tidewatch-error.ts';

/** What a browser loads. */
export interface PageFiles {
  readonly html: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/** Put here by the build, and by the settings of the tests: see scripts/inspector-page.ts. */
declare const TIDEWATCH_INSPECTOR_PAGE: PageFiles | undefined;

export function pageFiles(): PageFiles {
  if (typeof TIDEWATCH_INSPECTOR_PAGE === 'undefined') {
    throw new TidewatchError('misuse', 'the page of the inspector is not built. Run `npm run build`, and use dist/.');
  }
  return TIDEWATCH_INSPECTOR_PAGE;
}
