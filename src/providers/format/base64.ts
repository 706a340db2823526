import { joinText } from './fold.ts';
import type { Reducer } from './fold.ts';

/**
 * Joins pieces of base64. TRICKY: a piece may end in padding, which is invalid in the middle; then all pieces are decoded and encoded
 * again. Pieces that are not base64 are joined as text.
 */
export const joinBase64: Reducer = (values) => {
  const pieces = values.filter((value) => typeof value === 'string');
  if (!pieces.some((piece) => piece.endsWith('='))) return joinText(values);
  try {
    return btoa(pieces.map((piece) => atob(piece)).join(''));
  } catch {
    return pieces.join('');
  }
};
