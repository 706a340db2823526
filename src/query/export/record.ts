import { inOneLine } from '../../model/json/one-line.ts';
import { RawJson } from '../../model/json/raw.ts';
import { parseJson } from '../../model/text.ts';
import type { BodiesRow, RequestRow } from '../requests/columns.ts';
import { requestItem } from '../requests/item.ts';
import { exportCursor } from './plan.ts';

/** An item with everything that a column may name. Its JSON texts are those that are stored, so that no number loses digits. */
export type ExportedRecord = Readonly<Record<string, unknown>>;

/** @param bodies undefined without bodies, or when they are not exported. */
export function exportedRecord(row: RequestRow, bodies: BodiesRow | undefined): ExportedRecord {
  const item = requestItem(row, undefined);
  return Object.assign(item, {
    cursor: exportCursor(row),
    usage_raw: row.usage_raw === '' ? null : verbatim(row.usage_raw),
    request_body: bodies === undefined ? null : bodyOf(bodies.request_kind, bodies.request_text, bodies.request_content_type),
    response_body: bodies === undefined ? null : bodyOf(bodies.response_kind, bodies.response_text, bodies.response_content_type),
  });
}

function bodyOf(kind: string, text: string, contentType: string): unknown {
  switch (kind) {
    case 'json':
      return verbatim(text);
    case 'text':
      return text;
    case 'binary':
      return { base64: text, content_type: contentType };
    default:
      return null;
  }
}

/** A text that is no JSON, such as a truncated body, stays text. */
function verbatim(text: string): RawJson | string {
  return parseJson(text) === undefined ? text : new RawJson(inOneLine(text));
}
