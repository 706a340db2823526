import { expect, it } from 'vitest';
import { logPathOf } from '../../model/vocabulary/log-paths.ts';
import { targetOf } from './log-target.ts';

const bodies = { request: { model: 'm', messages: [] }, response: { choices: [] }, responseText: '' };

it.each<readonly [string, string | undefined, string]>([
  ['/oai/v1/log', undefined, 'openai'],
  ['/oai/v1/log', 'GROQ', 'groq'],
  ['/oai/v1/log', 'ACME', 'custom'],
  ['/anthropic/v1/log', 'ACME', 'custom'],
  ['/v1/trace/oai/v1/log', 'ACME', 'openai'],
  ['/v1/trace/custom/log', 'ACME', 'openai'],
])('a log at %s of the provider %s is of %s: no name that nobody knows gets the price of the path', (path, provider, expected) => {
  const logPath = logPathOf(path);
  if (logPath === undefined) throw new Error(`${path} takes no logs`);
  expect(targetOf({ url: 'custom-model-nopath', provider, logPath, bodies }).provider).toBe(expected);
});
