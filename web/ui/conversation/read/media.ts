import { ownOf } from '../../../lib/own.ts';
import { firstText, isObject, type Json, textOf } from './json.ts';
import type { Audio, Part } from './part.ts';

/** Only these hold a picture and nothing that runs. */
const pictures = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+$/;
/** The beginning of a picture of megabytes tells what it is. */
const checkedLength = 4096;

/** What plays in browsers, with its media type. */
const playable: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  mpeg: 'audio/mpeg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  webm: 'audio/webm',
};

export function imagePart(address: unknown): readonly Part[] {
  if (typeof address !== 'string') return [{ kind: 'other', value: address }];
  if (pictures.test(address.slice(0, checkedLength))) return [{ kind: 'image', source: address }];
  return linkPart('Picture', address);
}

/** A picture as base64 with its media type, or its type alone. */
export function base64Image(type: unknown, data: unknown): readonly Part[] {
  const name = firstText(type, 'png')
    .replace(/^(?:image\/)?/, 'image/')
    .replace('image/jpg', 'image/jpeg');
  return imagePart(`data:${name};base64,${textOf(data)}`);
}

/** Pages on the web alone: no link leads to a script or into a file of the reader. */
export function linkPart(what: 'Picture' | 'Audio' | 'File', address: string): readonly Part[] {
  return /^https?:\/\//i.test(address) ? [{ kind: 'link', what, address }] : [{ kind: 'other', value: address }];
}

/** @param format `wav`, or a media type such as `audio/L16;rate=24000`. */
export function audioPart(format: string, data: string, transcript = ''): Audio {
  const name = format
    .replace(/^audio\/(?:x-)?/i, '')
    .replace(/;.*$/s, '')
    .toLowerCase();
  const type = ownOf(playable, name);
  const isPlayable = type !== undefined && data !== '';
  return { kind: 'audio', format: name, bytes: bytesOf(data), source: isPlayable ? `data:${type};base64,${data}` : undefined, transcript };
}

/** Data of any media type: a picture, a recording, or a file. */
export function dataPart(type: string, data: string, name = ''): readonly Part[] {
  if (type.startsWith('image/')) return base64Image(type, data);
  if (type.startsWith('audio/')) return [audioPart(type, data)];
  return [{ kind: 'file', name, type, bytes: bytesOf(data) }];
}

/** A file of a message: in it, by its address, or by its identifier at the provider. */
export function filePart(file: Json): readonly Part[] {
  const name = firstText(file['filename'], file['title'], file['file_id'], file['name']);
  const address = firstText(file['file_url'], file['url'], file['fileUri'], file['file_uri']);
  if (address !== '') return linkPart('File', address);
  const given = textOf(file['file_data']);
  if (given === '' && name === '') return [{ kind: 'other', value: file }];
  const [whole, type = ''] = /^data:([^;,]{1,100});base64,/.exec(given) ?? [''];
  return dataPart(type === '' ? 'application/octet-stream' : type, given.slice(whole.length), name);
}

/** The `source` of Anthropic's pictures and documents. */
export function sourcePart(part: Json): readonly Part[] {
  const source = part['source'];
  if (!isObject(source)) return [{ kind: 'other', value: part }];
  switch (source['type']) {
    case 'base64':
      return dataPart(textOf(source['media_type']), textOf(source['data']), textOf(part['title']));
    case 'text':
      return [{ kind: 'text', text: textOf(source['data']) }];
    case 'url':
      return part['type'] === 'image' ? imagePart(source['url']) : filePart(source);
    default:
      return filePart({ ...source, title: part['title'] });
  }
}

function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
