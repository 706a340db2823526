import { wrongNameLength } from '../../../model/vocabulary/limits.ts';
import { GatelogError } from '../../../model/errors.ts';
import { wellFormed } from '../../../model/text.ts';
import { aliasOf } from '../../../model/vocabulary/property-alias.ts';

/** Where the name stands in an address, split at each slash: `http://host/v1/property/{name}/…`. */
const place = 5;

/**
 * The property's name in an address. TRICKY: not from the router, which returns an undecodable name as it is.
 * @throws GatelogError `invalid_parameter`.
 */
export function nameInAddress(url: string): string {
  const encoded = url.split(/[?#]/, 1)[0]?.split('/')[place] ?? '';
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw wrongName('The name in the address is not percent-encoded UTF-8; write a literal % as %25.');
  }
}

/** The same as records have it: upstream's names of session and prompt are ours there. */
export function storedNameInAddress(url: string): string {
  const name = nameInAddress(url);
  const wrong = wrongNameLength("A property's name", name);
  if (wrong !== undefined) throw wrongName(wrong);
  return storedName(name);
}

export function storedName(name: string): string {
  return aliasOf(name) ?? wellFormed(name);
}

export function wrongName(sentence: string): GatelogError {
  return new GatelogError('invalid_parameter', sentence, { details: { path: 'name' } });
}
