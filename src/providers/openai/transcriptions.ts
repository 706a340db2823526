import type { JsonObject } from '../../model/text.ts';
import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { noResponseFields, objectOf, textOf, userTexts, without } from '../format/fields.ts';
import { deploymentOf } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../format/provider.ts';
import { readStatedCost } from '../format/stated-cost.ts';
import { assembleTyped } from './typed-events.ts';
import { readInputOutputUsage, readOpenAiUsage, secondsOf } from './usage.ts';

/**
 * `POST …/audio/transcriptions` and `…/translations`: a form with a recording in, its words out, as JSON or as plain text (without usage).
 * OpenAI's streams end in `transcript.text.done`, Mistral's in `transcription.done`; Mistral's pieces are called `text`.
 */
export const openAiTranscriptions: WireFormat = {
  name: 'openai.transcriptions',
  readRequest: readTranscriptionRequest,
  readResponse: readTranscription,
  readText: (text) => ({ ...noResponseFields, completionText: textOf(text) }),
  assembleStream: (events) =>
    assembleTyped(events, {
      piece: '.text.delta',
      end: '.done',
      toBody: (pieces, end) =>
        end === undefined ? { text: pieces.map(({ delta, text }) => textOf(delta ?? text)).join('') } : without(end, 'type'),
    }),
  responseIdHeader: 'x-request-id',
};

function readTranscriptionRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const promptText = textOf(request['prompt']);
  return { model: textOf(request['model']) || deploymentOf(path), user: '', promptText, ...userTexts([promptText]) };
}

function readTranscription(body: unknown): ResponseFields {
  const response = objectOf(body);
  return {
    ...noResponseFields,
    model: textOf(response['model']),
    usage: usageOf(response),
    completionText: textOf(response['text']),
    providerCost: readStatedCost(response['usage']),
  };
}

/** Mistral counts as in a chat. Groq, and OpenAI without a count, report only the duration. */
function usageOf({ usage, duration }: JsonObject): Usage {
  const counted = objectOf(usage);
  if ('prompt_tokens' in counted) return readOpenAiUsage(usage);
  return usage === undefined || usage === null ? { ...unreportedUsage, audioSeconds: secondsOf(duration) } : readInputOutputUsage(usage);
}
