import { describe, expect, it } from 'vitest';
import { faultSentence, loadConfig, mailSenderOf } from './load.ts';

function loaded(environment: Record<string, string>) {
  return loadConfig(environment, { cores: 4 });
}

function serverOf(address: string, environment: Record<string, string> = {}) {
  const outcome = loaded({ GATELOG_SMTP_URL: address, ...environment });
  if ('faults' in outcome) throw new Error(outcome.faults.map(faultSentence).join('\n'));
  return { ...outcome.config.smtpUrl, sender: mailSenderOf(outcome.config) };
}

describe('the address of a mail server', () => {
  it.each([
    [
      'smtps://user:p%40ss@mail.example.com?from=alerts@example.com',
      { host: 'mail.example.com', port: 465, tls: 'implicit', login: { user: 'user', password: 'p@ss' }, sender: 'alerts@example.com' },
    ],
    [
      'smtp://alerts%40example.com:p@mail.example.com:2525',
      { port: 2525, tls: 'starttls', login: { user: 'alerts@example.com', password: 'p' }, sender: 'alerts@example.com' },
    ],
    ['smtp://[::1]?tls=none&from=a@b.c', { host: '::1', port: 587, tls: 'none', login: undefined, sender: 'a@b.c' }],
  ])('%s', (address, expected) => {
    expect(serverOf(address)).toMatchObject(expected);
  });

  it('has a sender of its own, unless another setting names one', () => {
    const address = 'smtps://mail.example.com?from=alerts@example.com';
    expect(serverOf(address, { GATELOG_SMTP_FROM: 'Gatelog <gatelog@example.com>' }).sender).toBe('Gatelog <gatelog@example.com>');
  });

  it.each([
    ['nonsense', 'is not an address'],
    ['https://mail.example.com', 'starts neither with smtps:// nor with smtp://'],
    ['smtps://u:planted@mail.example.com/x', 'holds a path or a fragment'],
    ['smtps://u@mail.example.com?from=a@b.c', 'has a user without a password, or a password without a user'],
    ['smtp://u:planted@mail.example.com?tls=none&from=a@b.c', 'would send its password unencrypted'],
    ['smtps://mail.example.com?tls=none&from=a@b.c', 'has a tls that is not none, or smtps:// with it'],
    ['smtps://mail.example.com?form=a@b.c', 'has a parameter besides from and tls'],
    ['smtps://mail.example.com?from=a%0D%0Ab@c.d', 'has a from that is not a mail address'],
    ['smtps://u:%zz@mail.example.com?from=a@b.c', 'has a % that is not followed by two hexadecimal digits'],
    ['smtps://u:planted@mail.example.com', 'names no sender'],
  ])('%s is refused, and not repeated', (address, problem) => {
    const outcome = loaded({ GATELOG_SMTP_URL: address });
    const sentences = 'faults' in outcome ? outcome.faults.map(faultSentence) : [];
    expect(sentences).toEqual([expect.stringContaining(`GATELOG_SMTP_URL ${problem}; `)]);
    expect(sentences.join()).not.toContain('planted');
  });
});
