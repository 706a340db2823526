import { describe, expect, it } from 'vitest';
import { apiPathSegments } from '../model/vocabulary/api-paths.ts';
import { endpoints } from './endpoints.ts';
import { openEndpoints } from './open-endpoints.ts';

describe('the first segments of the API`s paths, which the gateway forwards to nobody', () => {
  const paths = [...endpoints, ...openEndpoints].map(({ declaration }) => declaration.path).filter((path) => path.startsWith('/v1/'));
  /** OpenAI has these too, so that they lead there from the gateway. */
  const openAis: ReadonlySet<string | undefined> = new Set(['models', 'evals']);
  const segments = [...new Set(paths.map((path) => path.split('/')[2]))].filter((segment) => !openAis.has(segment));

  it.each(segments)('%s is among them', (segment) => {
    expect(apiPathSegments).toContain(segment);
  });
});
