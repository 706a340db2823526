import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { Poster, requestHeadOf } from './post.ts';
import { fromStandardForm, newSigningSecret, standardForm } from './signature.ts';
import { closeReceivers, guardAllowing, type ReceivedPost, startReceiver } from './testing/receiver.ts';
import { signedPost, type WebhookPost } from './webhook.ts';

afterEach(closeReceivers);

const never = new AbortController().signal;
const [present, previous, foreign] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
const body = '{"type":"request.completed","text":"ü"}';

/** Posts over a real connection. @returns what the receiver got, and what the log says of it. */
async function send(secrets: WebhookPost['secrets'], scheme: 'http' | 'https' = 'http') {
  const receiver = await startReceiver(204, scheme);
  const poster = new Poster({
    guard: guardAllowing('localhost'),
    now: Date.now,
    ...(receiver.ca === undefined ? {} : { ca: receiver.ca }),
  });
  const event = { id: 'msg_1', sentAt: Date.now(), body, secrets, destination: `${receiver.origin}/hook?key=1` };
  const post = signedPost(event);
  expect(await poster.post(post, never)).toMatchObject({ kind: 'delivered' });
  const [received] = receiver.posts;
  if (received === undefined) throw new Error('The receiver got nothing.');
  return { received, requestHead: requestHeadOf(post) };
}

function verify(received: ReceivedPost, secret: typeof present): unknown {
  return new Webhook(standardForm(secret)).verify(received.body, received.headers as Record<string, string>);
}

describe('a signed event', () => {
  it.each(['http', 'https'] as const)('over %s is verified by the public library, with the right secret alone', async (scheme) => {
    const { received } = await send([present], scheme);
    expect(received.headers['webhook-id']).toBe('msg_1');
    expect(verify(received, present)).toEqual(JSON.parse(body));
    expect(() => verify(received, foreign)).toThrow('No matching signature found');
  });

  it('is verified with both secrets while one replaces the other', async () => {
    const { received } = await send([present, previous]);
    expect(received.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [present, previous]) expect(verify(received, secret)).toEqual(JSON.parse(body));
    expect(() => verify(received, foreign)).toThrow('No matching signature found');
  });

  it('has the HMAC of its body too, as receivers of Helicone check it; of the previous secret while there is one', async () => {
    const hmac = ({ hmacKey }: typeof present): string => createHmac('sha256', hmacKey).update(body).digest('hex');
    const { received } = await send([present]);
    expect([received.headers['svc-signature'], received.headers['helicone-signature']]).toEqual([hmac(present), hmac(present)]);
    expect((await send([present, previous])).received.headers['svc-signature']).toBe(hmac(previous));
  });

  it('stands in the log as the receiver got it', async () => {
    const { received, requestHead } = await send([present]);
    const [line, ...headers] = requestHead.split('\n');
    expect(line).toBe('POST /hook?key=1 HTTP/1.1');
    const { connection: _ours, ...sent } = received.headers;
    expect(
      Object.fromEntries(headers.map((header) => [header.split(': ')[0]?.toLowerCase(), header.slice(header.indexOf(': ') + 2)])),
    ).toEqual(sent);
  });
});

it('a secret is the same in both forms', () => {
  expect(standardForm(present)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(fromStandardForm(standardForm(present))).toEqual(present);
  expect(present.hmacKey).toMatch(/^[0-9a-f]{64}$/);
});
