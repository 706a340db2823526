import { kept } from './kept.ts';

const key = 'gatelog.zone';
/** It takes long to ask for, and every row of a list does. */
let zoneOfBrowser: string | undefined;

/** The time zone in which times are shown: the one that was chosen in the settings, or the browser's. */
export function timeZone(): string {
  return chosenZone() ?? (zoneOfBrowser ??= Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** @returns undefined: the browser's zone applies. */
export function chosenZone(): string | undefined {
  const stored = localStorage.getItem(key);
  return stored !== null && isZone(stored) ? stored : undefined;
}

export function chooseZone(zone: string | undefined): void {
  if (zone === undefined) localStorage.removeItem(key);
  else localStorage.setItem(key, zone);
}

const isZone = kept((zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
});
