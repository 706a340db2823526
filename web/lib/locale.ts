/**
 * TRICKY: Chromium of a system without a language says `en-US@posix`, which no formatter takes, and the library of charts asks for it while
 * it is loaded.
 */
export function fixLocale(): void {
  const { language } = navigator;
  const isTag = /^[A-Za-z0-9-]+$/.test(language);
  if (!isTag) Object.defineProperty(navigator, 'language', { value: language.replace(/[^A-Za-z0-9-].*$/, ''), configurable: true });
}
