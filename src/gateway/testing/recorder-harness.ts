import type { ExchangeOpen } from '../../model/record/exchange.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import { ExchangeRecorder } from '../record/recorder.ts';

/** A recorder of a call of no consequence, on a clock that stands still. */
export function recorderOn(writer: SpoolWriter, bodyMaxBytes: number): ExchangeRecorder {
  const open: ExchangeOpen = {
    version: 1,
    requestId: '01a1fec5-9302-7c85-982a-081d08437a4a' as RequestId,
    organizationId: '01a1fec5-0000-7000-8000-000000000001' as OrganizationId,
    keyHash: '',
    openedAt: 0,
    method: 'POST',
    path: '/v1/chat/completions',
    provider: 'openai',
    targetUrl: '',
    headers: {},
    tags: { properties: [] },
  };
  return new ExchangeRecorder({ writer, bodyMaxBytes, hasSpaceForParts: () => true, monotonic: () => 0, startedAt: 0 }, open, true);
}
