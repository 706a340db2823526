import { describe, expect, it } from 'vitest';
import { addressedProviders, declaredProviders, providerAtHost, providerAtOrigin, providerInTelemetry } from './providers.ts';

describe('a provider is known in telemetry', () => {
  const withAddress = addressedProviders.flatMap((name) => {
    const { baseUrl, isLocal, origins } = declaredProviders[name];
    return typeof baseUrl === 'string' && isLocal !== true && origins === undefined ? [[name, new URL(baseUrl).host] as const] : [];
  });

  it.each(withAddress)('%s by the host of its address', (name, host) => {
    expect(providerAtHost(host)).toBe(name);
  });

  it.each([
    ['azure', 'acme.openai.azure.com'],
    ['azure', 'acme.services.ai.azure.com'],
    ['azure', 'acme.privatelink.openai.azure.com'],
    ['bedrock', 'bedrock-runtime.eu-west-1.amazonaws.com'],
    ['vertex', 'aiplatform.googleapis.com'],
    ['vertex', 'europe-west4-aiplatform.googleapis.com'],
    ['vertex', 'aiplatform.eu.rep.googleapis.com'],
    ['openrouter', 'eu.openrouter.ai'],
    ['together', 'api.together.ai'],
  ])('%s by %s', (name, host) => {
    expect(providerAtHost(host)).toBe(name);
  });

  it('at no host that only looks like one of its own, nor on this machine', () => {
    for (const host of ['api.groq.com.example.org', 'notopenrouter.ai', '127.0.0.1', 'localhost', '', 'a b']) {
      expect(providerAtHost(host)).toBeUndefined();
    }
  });

  it('by its names there, its own name and its aliases', () => {
    const told = ['gcp.vertex_ai', 'google', 'cohere', 'x', 'nvidia_nim', 'ferry'];
    expect(told.map(providerInTelemetry)).toEqual(['vertex', 'gemini', 'cohere', 'xai', 'nvidia', undefined]);
  });
});

it('calls nobody at a host that others only tell of', () => {
  expect(providerAtOrigin('https://api.together.ai')).toBeUndefined();
  expect(providerAtOrigin('https://acme.services.ai.azure.com')).toBeUndefined();
});

it('gives each host to one provider', () => {
  const hosts = addressedProviders.flatMap((name) => {
    const { baseUrl, isLocal } = declaredProviders[name];
    return typeof baseUrl === 'string' && isLocal !== true ? [new URL(baseUrl).host] : [];
  });
  expect(new Set(hosts).size).toBe(hosts.length);
});
