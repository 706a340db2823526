import { describe, expect, it } from 'vitest';
import { type Config, faultSentence, loadConfig } from './load.ts';

function configOf(environment: Record<string, string>): Config {
  const loaded = loadConfig(environment, { cores: 1 });
  if ('faults' in loaded) throw new Error(loaded.faults.map(faultSentence).join('\n'));
  return loaded.config;
}

function sentencesOf(environment: Record<string, string>): readonly string[] {
  const loaded = loadConfig(environment, { cores: 1 });
  return 'faults' in loaded ? loaded.faults.map(faultSentence) : [];
}

const beside = (variable: string, instead: string): string =>
  `${variable} is set beside ${instead}, which stands in its place; remove one of the two.`;

describe('one listener (GATELOG_PORT)', () => {
  it.each([
    ['https://example.com', '', 'https://example.com'],
    ['https://example.com/', '/llm', 'https://example.com/llm'],
    ['https://example.com/llm/', '/llm/', 'https://example.com/llm'],
  ])('with the public address %s and the base path %s is at %s', (publicUrl, basePath, address) => {
    const config = configOf({ GATELOG_PORT: '8080', GATELOG_PUBLIC_URL: publicUrl, GATELOG_BASE_PATH: basePath });
    expect(config).toMatchObject({ port: 8080, publicApiUrl: address, publicGatewayUrl: `${address}/gateway` });
  });

  it('has no public address by itself', () => {
    expect(configOf({ GATELOG_PORT: '8080' })).toMatchObject({ publicApiUrl: undefined, publicGatewayUrl: undefined, basePath: '' });
  });

  it.each(['llm', '/a//b', '/a/../b', '/a b', '/%61', '/?x', 'https://example.com/llm'])('%s is no base path', (basePath) => {
    expect(sentencesOf({ GATELOG_PORT: '8080', GATELOG_BASE_PATH: basePath })).toEqual([
      `GATELOG_BASE_PATH is ${JSON.stringify(basePath)}, which is not such a path; write a path that begins with /, of letters, digits and -._~, for example /gatelog.`,
    ]);
  });

  it('contradicts settings of two listeners, and those of one need it', () => {
    const both = { GATELOG_API_PORT: '1', GATELOG_GATEWAY_PORT: '2', GATELOG_PUBLIC_API_URL: 'https://a.example' };
    expect(sentencesOf({ ...both, GATELOG_PORT: '8080', GATELOG_PUBLIC_URL: 'https://b.example' })).toEqual([
      beside('GATELOG_GATEWAY_PORT', 'GATELOG_PORT'),
      beside('GATELOG_API_PORT', 'GATELOG_PORT'),
      beside('GATELOG_PUBLIC_API_URL', 'GATELOG_PUBLIC_URL'),
    ]);
    expect(sentencesOf({ GATELOG_BASE_PATH: '/llm', GATELOG_PUBLIC_URL: 'https://b.example' })).toEqual([
      'GATELOG_BASE_PATH is for one listener, and GATELOG_PORT is not set; set GATELOG_PORT too, or remove it.',
      'GATELOG_PUBLIC_URL is for one listener, and GATELOG_PORT is not set; set GATELOG_PORT too, or remove it.',
    ]);
  });

  it('has the path of its public address', () => {
    expect(sentencesOf({ GATELOG_PORT: '8080', GATELOG_PUBLIC_URL: 'https://a.example/llm' })).toEqual([
      'GATELOG_PUBLIC_URL has the path /llm, and the listener has none; set GATELOG_BASE_PATH to the same path.',
    ]);
  });
});
