/** What shows bodies raw, and in it long texts, are parts of their own, loaded when they are needed first. */
export const loadRawTab = () => import('./raw-tab.tsx');
export const loadEditor = () => import('./editor.ts');

/** Asks for them early: they come while a body is loaded and laid out. Who opens them hears of a failure. */
export function expectEditor(): void {
  loadRawTab().catch(() => undefined);
  loadEditor().catch(() => undefined);
}
