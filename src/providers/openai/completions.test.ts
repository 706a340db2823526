import { describe, expect, it } from 'vitest';
import { describeWireFormat } from '../testing/contract-suite.ts';
import { openAiCompletions } from './completions.ts';

const chunk = (text: string, logprob: number): string =>
  JSON.stringify({
    object: 'text_completion',
    choices: [{ index: 0, text, logprobs: { tokens: [text], token_logprobs: [logprob], text_offset: [0] }, finish_reason: null }],
  });

describeWireFormat(openAiCompletions, { folder: new URL('./__fixtures__/', import.meta.url), prefix: 'completions-' });

describe('openAiCompletions', () => {
  it('takes the prompts of a request for what the user said', () => {
    expect(openAiCompletions.readRequest({ model: 'm', prompt: ['one', 'two', [3, 4]] }, '')).toEqual({
      model: 'm',
      user: '',
      promptText: 'one\ntwo',
      firstUserText: 'one\ntwo',
      lastUserText: 'one\ntwo',
    });
    expect(openAiCompletions.readRequest({ prompt: 'one' }, '').promptText).toBe('one');
  });

  it('joins the text and the lists of log probabilities of a stream', () => {
    const events = [chunk('a', -1), chunk('b', -2), '[DONE]'].map((data) => ({ event: 'message', data }));
    expect(openAiCompletions.assembleStream(events)).toEqual({
      body: {
        object: 'text_completion',
        choices: [
          { index: 0, text: 'ab', logprobs: { tokens: ['a', 'b'], token_logprobs: [-1, -2], text_offset: [0, 0] }, finish_reason: null },
        ],
      },
      isComplete: true,
      understood: true,
    });
  });
});
