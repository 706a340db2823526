import { noResponseFacts, objectOf, textOf } from '../facts.ts';
import { deploymentOf } from '../path-names.ts';
import type { RequestFacts, ResponseFacts, WireFormat } from '../provider.ts';
import { assembleTyped } from './typed-events.ts';
import { readInputOutputUsage } from './usage.ts';

/**
 * `POST …/audio/transcriptions` and `…/translations`: a form with a recording in, its words out, as JSON or as plain text, which tells no
 * usage.
 */
export const openAiTranscriptions: WireFormat = {
  name: 'openai.transcriptions',
  readRequest: readTranscriptionRequest,
  readResponse: readTranscription,
  readText: (text) => ({ ...noResponseFacts, completionText: textOf(text) }),
  assembleStream: (events) =>
    assembleTyped(events, {
      piece: '.text.delta',
      end: '.text.done',
      toBody: (pieces, end) => {
        const { text, logprobs, usage } = end ?? { text: pieces.map(({ delta }) => textOf(delta)).join('') };
        return { text, ...(logprobs === undefined ? {} : { logprobs }), ...(usage === undefined ? {} : { usage }) };
      },
    }),
};

function readTranscriptionRequest(body: unknown, path: string): RequestFacts {
  const request = objectOf(body);
  const promptText = textOf(request['prompt']);
  return { model: textOf(request['model']) || deploymentOf(path), user: '', promptText, lastUserText: promptText };
}

function readTranscription(body: unknown): ResponseFacts {
  const response = objectOf(body);
  return { ...noResponseFacts, usage: readInputOutputUsage(response['usage']), completionText: textOf(response['text']) };
}
