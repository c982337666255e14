import { accessSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of the system; `.ci/run` installs it. As root it runs without its sandbox. */
export async function launchBrowser(): Promise<Browser> {
  const place = [process.env.CHROMIUM, ...PLACES].find((path) => path !== undefined && isThere(path));
  if (place === undefined) {
    throw new Error('There is no Chromium. Install it (apt-get install chromium), or say where it is in $CHROMIUM.');
  }
  return chromium.launch({ executablePath: place, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
