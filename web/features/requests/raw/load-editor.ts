/** What shows long texts is a part of its own, loaded when it is needed first. */
export const loadEditor = () => import('./editor.ts');

/** Asks for it early: it comes while a body is loaded and laid out. Who opens it hears of a failure. */
export function expectEditor(): void {
  loadEditor().catch(() => undefined);
}
