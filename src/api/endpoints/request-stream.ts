import { z } from 'zod';
import { streamHeadersSchema, streamParametersSchema } from '../../contract/requests/stream.ts';
import { rawEndpoint } from '../endpoint/endpoint.ts';
import { filterParameter } from '../http/filter-parameter.ts';
import { answerStream } from '../page/answer-stream.ts';

const events = z.string().meta({
  description: 'Server-sent events (WHATWG HTML).',
  example: 'id: 1790000000000000\nevent: request\ndata: {"request_id":"…"}\n\n',
});

export const requestStream = [
  rawEndpoint({
    at: 'GET /v1/request/stream',
    id: 'streamRequests',
    summary: 'Follow requests live',
    text: 'Server-sent events without an end: one event `request` per matching request, soon after its call has ended, with a request item as `data`, without bodies unless asked for. Events come in the order in which requests are stored, and the `id` of an event is its position in that order: a client that connects again with it as `Last-Event-ID` misses none and gets none twice, whatever was restarted in between. Later changes of a request are no events. A condition on sessions is decided by what is stored of the session at that time. While nothing matches, a comment comes at least every 15 seconds, with a position. A slow reader gets everything later and slows nobody else. The stream ends with an event `end`, whose `data` is a failure as in other answers, when the key is revoked. At most `GATELOG_STREAMS` streams are open at once.',
    action: 'read',
    query: streamParametersSchema,
    requestHeaders: streamHeadersSchema,
    answer: { description: 'The events, until the connection ends.', content: { 'text/event-stream': { schema: events } } },
    errors: [422],
    readsBodies: ({ query }) => (query.includeBodies === 'true' ? { filter: { filter: query.filter, cursor: query.cursor } } : undefined),
    respond: (call) => answerStream(call, { filter: filterParameter(call.query.filter), parameters: call.query }),
  }),
];
