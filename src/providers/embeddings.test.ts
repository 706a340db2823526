import { describe, expect, it } from 'vitest';
import { titanEmbeddings } from './amazon/titan-embeddings.ts';
import { cohereEmbed } from './cohere/embed.ts';
import { describeWireFormat } from './testing/contract-suite.ts';
import { geminiEmbedContent } from './google/embed-content.ts';
import { wireFormatFor } from './registry.ts';

const lacks = {
  stream: 'vectors come at once',
  completionText: 'vectors are no text',
  user: 'the format has no place for an end user',
};
const fixturesOf = (name: string): URL => new URL(`./${name}/__fixtures__/`, import.meta.url);
const geminiPath = '/v1beta/models/gemini-embedding-001:batchEmbedContents';
const titanPath = '/model/amazon.titan-embed-text-v2%3A0/invoke';

describeWireFormat(geminiEmbedContent, { folder: fixturesOf('google'), prefix: 'embed-', path: geminiPath, lacks });
describeWireFormat(cohereEmbed, { folder: fixturesOf('cohere'), prefix: 'embed-', lacks });
describeWireFormat(titanEmbeddings, { folder: fixturesOf('amazon'), prefix: 'titan-', path: titanPath, lacks });

describe('embeddings', () => {
  it.each([
    ['gemini', geminiPath, geminiEmbedContent],
    ['vertex', '/v1/projects/p/locations/us-central1/publishers/google/models/gemini-embedding-2:embedContent', geminiEmbedContent],
    ['cohere', '/v2/embed', cohereEmbed],
    ['cohere', '/v1/embed', cohereEmbed],
    ['bedrock', titanPath, titanEmbeddings],
  ])('of %s at %s are understood', (provider, path, format) => {
    expect(wireFormatFor(provider, path)).toBe(format);
  });

  it('of other models at Bedrock are read as any other invocation of a model', () => {
    expect(wireFormatFor('bedrock', '/model/cohere.embed-v4%3A0/invoke')?.name).toBe('amazon.invoke');
    expect(wireFormatFor('bedrock', '/model/amazon.titan-text-express-v1/invoke')?.name).toBe('amazon.invoke');
  });

  it('of one content are counted, where the count is said', () => {
    const request = { model: 'models/gemini-embedding-2', content: { parts: [{ text: 'one' }, { text: 'two' }] } };
    expect(geminiEmbedContent.readRequest(request, '')).toMatchObject({ model: 'models/gemini-embedding-2', promptText: 'one\ntwo' });
    const counted = { embedding: { values: [0.1] }, usageMetadata: { promptTokenCount: 4 } };
    expect(geminiEmbedContent.readResponse(counted).usage).toMatchObject({ promptTokens: 4, raw: { promptTokenCount: 4 } });
    expect(geminiEmbedContent.readResponse({ embedding: { values: [0.1] } }).usage.promptTokens).toBeNull();
  });

  it('of pictures alone at Cohere have no tokens', () => {
    expect(cohereEmbed.readResponse({ id: 'a', meta: { billed_units: { images: 1 } } })).toMatchObject({
      responseId: 'a',
      usage: { promptTokens: null },
    });
  });
});
