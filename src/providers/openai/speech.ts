import { noResponseFields, objectOf, textOf, userTexts } from '../format/fields.ts';
import { deploymentOf } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../format/provider.ts';
import { joinBase64 } from '../format/base64.ts';
import { assembleTyped } from './typed-events.ts';
import { readInputOutputUsage } from './usage.ts';

/**
 * `POST …/audio/speech`: a text in, a recording out. A plain recording has no usage; a stream of events does, and is assembled into an
 * object with the audio and the usage.
 */
export const openAiSpeech: WireFormat = {
  name: 'openai.speech',
  readRequest: readSpeechRequest,
  readResponse: readSpeechResponse,
  assembleStream: (events) =>
    assembleTyped(events, {
      piece: '.audio.delta',
      end: '.audio.done',
      toBody: (pieces, end) => ({
        audio: joinBase64(pieces.map(({ audio }) => audio)),
        ...(end === undefined ? {} : { usage: end['usage'] }),
      }),
    }),
  responseIdHeader: 'x-request-id',
};

function readSpeechRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const promptText = textOf(request['input']);
  return { model: textOf(request['model']) || deploymentOf(path), user: '', promptText, ...userTexts([promptText]) };
}

function readSpeechResponse(body: unknown): ResponseFields {
  return { ...noResponseFields, usage: readInputOutputUsage(objectOf(body)['usage']) };
}
