import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeAllowList } from './allow-list.ts';
import { type AllowedTarget, makeTargetGuard, type TargetRefusal } from './target-guard.ts';

type Names = Readonly<Record<string, readonly string[]>>;

function found(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

function resolverOf(names: Names): LookupFunction {
  return (hostname, _options, callback) => {
    const addresses = names[hostname];
    if (addresses === undefined) callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    else callback(null, addresses.map(found));
  };
}

const guardOf = (allowed: readonly string[] = [], names: Names = {}) =>
  makeTargetGuard(makeAllowList(allowed), { listed: resolverOf(names), unlisted: resolverOf(names) });

function accepted(checked: AllowedTarget | TargetRefusal): AllowedTarget {
  if ('problem' in checked) throw new Error(checked.problem);
  return checked;
}

/** What a connection to the target would be given: addresses, or the code of the failure. */
async function connectsTo(target: AllowedTarget, all = true): Promise<unknown> {
  return new Promise((resolve) => {
    target.lookUp(new URL(target.origin).hostname, { all }, (error, given) => {
      if (error !== null) resolve(error.code);
      else resolve(typeof given === 'string' ? given : given.map(({ address }) => address));
    });
  });
}

describe('addresses that lead to this machine or its network, however they are written', () => {
  const forms: readonly [why: string, address: string][] = [
    ['loopback', 'https://127.0.0.1/'],
    ['loopback, another', 'https://127.8.9.10'],
    ['loopback with a port', 'https://127.0.0.1:8788/v1'],
    ['decimal', 'https://2130706433/'],
    ['hexadecimal', 'https://0x7f000001/'],
    ['octal', 'https://0177.0.0.1/'],
    ['octal in one', 'https://017700000001/'],
    ['mixed bases', 'https://0x7f.0.0.01/'],
    ['two parts', 'https://127.1/'],
    ['three parts', 'https://127.0.1/'],
    ['zero', 'https://0/'],
    ['this network', 'https://0.0.0.0/'],
    ['a dot at the end', 'https://127.0.0.1./'],
    ['full-width digits', 'https://１２７.０.０.１/'],
    ['ideographic full stops', 'https://127。0。0。1/'],
    ['circled digits', 'https://①②⑦.0.0.1/'],
    ['percent-encoded', 'https://%31%32%37.0.0.1/'],
    ['percent-encoded dots', 'https://127%2e0%2e0%2e1/'],
    ['private, class A', 'https://10.0.0.5/'],
    ['private, class B', 'https://172.16.0.1/'],
    ['private, end of class B', 'https://172.31.255.255/'],
    ['private, class C', 'https://192.168.1.1/'],
    ['link-local: metadata of most clouds', 'https://169.254.169.254/latest/meta-data/'],
    ['metadata in decimal', 'https://2852039166/'],
    ['metadata in hexadecimal', 'https://0xa9fea9fe/'],
    ['metadata in octal', 'https://0251.0376.0251.0376/'],
    ['metadata of Alibaba, shared address space', 'https://100.100.100.200/'],
    ['carrier-grade NAT', 'https://100.64.0.1/'],
    ['metadata of Oracle, protocol assignments', 'https://192.0.0.192/'],
    ['Azure`s own', 'https://168.63.129.16/'],
    ['documentation', 'https://192.0.2.1/'],
    ['benchmarks', 'https://198.18.0.1/'],
    ['6to4 relays', 'https://192.88.99.1/'],
    ['multicast', 'https://224.0.0.1/'],
    ['reserved', 'https://240.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['IPv6 loopback, long', 'https://[0:0:0:0:0:0:0:1]:8443/'],
    ['IPv6 unspecified', 'https://[::]/'],
    ['v4-mapped', 'https://[::ffff:127.0.0.1]/'],
    ['v4-mapped, hexadecimal', 'https://[::ffff:7f00:1]/'],
    ['v4-mapped metadata', 'https://[::ffff:a9fe:a9fe]/'],
    ['v4-compatible', 'https://[::127.0.0.1]/'],
    ['v4-translated', 'https://[::ffff:0:127.0.0.1]/'],
    ['NAT64', 'https://[64:ff9b::10.0.0.1]/'],
    ['NAT64 of local use', 'https://[64:ff9b:1::7f00:1]/'],
    ['6to4', 'https://[2002:7f00:1::]/'],
    ['Teredo', 'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['IPv6 documentation', 'https://[2001:db8::1]/'],
    ['IPv6 link-local', 'https://[fe80::1]/'],
    ['site-local', 'https://[fec0::1]/'],
    ['unique local', 'https://[fd00::1]/'],
    ['IPv6 metadata', 'https://[fd00:ec2::254]/'],
    ['IPv6 multicast', 'https://[ff02::1]/'],
    ['not handed out', 'https://[4000::1]/'],
    ['localhost', 'https://localhost/'],
    ['localhost, upper case', 'https://LOCALHOST:443/'],
    ['localhost with dots at its end', 'https://localhost../'],
    ['localhost in full-width letters', 'https://ｌｏｃａｌｈｏｓｔ/'],
    ['below localhost', 'https://api.localhost/'],
    ['metadata by name', 'https://metadata.google.internal/'],
    ['multicast DNS', 'https://printer.local./'],
    ['a home network', 'https://nas.home.arpa/'],
    ['plain http', 'http://api.example.com/v1'],
    ['plain http to an address', 'http://8.8.8.8/'],
  ];
  for (const [why, address] of forms) {
    it(`not allowed: ${why}`, () => {
      const checked = guardOf().check(address);
      expect(checked).toMatchObject({ code: 'not_allowed' });
      expect('problem' in checked && checked.problem).toMatch(
        /write a public https address, or have \S+:\d+ added to GATELOG_TARGET_ALLOWLIST$/,
      );
    });
  }

  const malformed: readonly [why: string, address: string][] = [
    ['another scheme', 'ftp://api.example.com/'],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
    ['a socket', 'unix:/run/docker.sock'],
    ['no scheme', 'api.example.com/v1'],
    ['empty', ''],
    ['no host', 'https://'],
    ['credentials', 'https://api.example.com@10.0.0.1/'],
    ['a password', 'https://user:secret@api.example.com/'],
    ['a query', 'https://api.example.com/?a=b'],
    ['a fragment', 'https://api.example.com/#@10.0.0.1'],
    ['a zone', 'https://[fe80::1%25eth0]/'],
    ['an address too large', 'https://4294967296/'],
    ['five parts', 'https://127.0.0.0.1/'],
    ['a port too large', 'https://api.example.com:65536/'],
    ['a space in the host', 'https://api.exa mple.com/'],
    ['far too long', `https://api.example.com/${'a'.repeat(2048)}`],
  ];
  for (const [why, address] of malformed) {
    it(`malformed: ${why}`, () => {
      const checked = guardOf().check(address);
      expect(checked).toMatchObject({ code: 'malformed' });
      expect(JSON.stringify(checked)).not.toContain('secret');
    });
  }
});

describe('public addresses', () => {
  it.each([
    ['https://api.example.com/v1', 'https://api.example.com', '/v1'],
    ['https://API.Example.com:443/', 'https://api.example.com', '/'],
    ['https://api.example.com.:8443/a/../b', 'https://api.example.com:8443', '/b'],
    ['https://8.8.8.8', 'https://8.8.8.8', '/'],
    ['https://[2606:4700::1]:8443/x', 'https://[2606:4700::1]:8443', '/x'],
    ['https://[64:ff9b::8.8.8.8]', 'https://[64:ff9b::808:808]', '/'],
    [String.raw`https:\\api.example.com\@10.0.0.1`, 'https://api.example.com', '/@10.0.0.1'],
    ['https://internal.example.com', 'https://internal.example.com', '/'],
  ])('%s is %s', (address, origin, pathname) => {
    expect(guardOf().check(address)).toMatchObject({ origin, pathname });
  });
});

describe('addresses for events', () => {
  it('may have a query, which is part of them', () => {
    const checked = guardOf().check('https://hooks.example.com/workflows/1?api-version=1&sig=a%2Fb', 'events');
    expect(checked).toMatchObject({ pathname: '/workflows/1', search: '?api-version=1&sig=a%2Fb' });
    expect(guardOf().check('https://hooks.example.com/1')).toMatchObject({ search: '' });
  });

  it.each(['https://user:secret@hooks.example.com/', 'https://secret@hooks.example.com/', 'https://hooks.example.com/#secret'])(
    'have no part that would not be sent: %s',
    (address) => {
      const checked = guardOf().check(address, 'events');
      expect(checked).toMatchObject({ code: 'malformed', problem: expect.stringMatching(/would not be sent; leave it out$/) as string });
      expect(JSON.stringify(checked)).not.toContain('secret');
    },
  );

  it('are as closed as targets of calls', () => {
    for (const address of ['https://10.0.0.5/?a=b', 'https://localhost/', 'http://hooks.example.com/?a=b']) {
      expect(guardOf().check(address, 'events')).toMatchObject({ code: 'not_allowed' });
    }
  });
});

describe('names that resolve to this network', () => {
  const names: Names = {
    'public.example': ['93.184.216.34', '2606:4700::1'],
    'nat64.example': ['64:ff9b::5db8:d822'],
    'private.example': ['10.0.0.5'],
    'mixed.example': ['93.184.216.34', '127.0.0.1'],
    'mapped.example': ['::ffff:169.254.169.254'],
    'zone.example': ['fe80::1%eth0'],
    'none.example': [],
  };
  it.each([
    ['public.example', ['93.184.216.34', '2606:4700::1']],
    ['nat64.example', ['64:ff9b::5db8:d822']],
    ['private.example', 'target_not_allowed'],
    ['mixed.example', 'target_not_allowed'],
    ['mapped.example', 'target_not_allowed'],
    ['zone.example', 'target_not_allowed'],
    ['none.example', 'target_not_allowed'],
    ['unknown.example', 'ENOTFOUND'],
  ])('%s: %j', async (name, outcome) => {
    expect(await connectsTo(accepted(guardOf([], names).check(`https://${name}`)))).toEqual(outcome);
  });

  it('the connection is given what was checked: a name that changes its address is asked once', async () => {
    let asked = 0;
    const rebinding: LookupFunction = (_hostname, _options, callback) => {
      asked += 1;
      callback(null, [{ address: asked === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }]);
    };
    const target = accepted(
      makeTargetGuard(makeAllowList([]), { listed: rebinding, unlisted: rebinding }).check('https://rebinding.example'),
    );
    expect(await connectsTo(target, false)).toBe('93.184.216.34');
    expect(await connectsTo(target, false)).toBe('target_not_allowed');
    expect(asked).toBe(2);
  });
});

describe('what a deployment allows', () => {
  const names: Names = {
    'vllm.example': ['10.0.0.5'],
    'both.example': ['10.0.0.5', '93.184.216.34'],
    'public.example': ['93.184.216.34'],
    localhost: ['127.0.0.1'],
    'llm.internal': ['10.0.0.6'],
    'elsewhere.internal': ['93.184.216.34'],
  };
  const cases: readonly [allowed: string, address: string, outcome: unknown][] = [
    ['localhost', 'http://localhost:9101/v1', ['127.0.0.1']],
    ['localhost:9101', 'http://localhost:9101/v1', ['127.0.0.1']],
    ['localhost:9101', 'http://localhost:9102/v1', 'not_allowed'],
    ['vllm.example:8000', 'http://vllm.example:8000', ['10.0.0.5']],
    ['vllm.example', 'https://vllm.example', ['10.0.0.5']],
    ['vllm.example', 'https://a.vllm.example', 'ENOTFOUND'],
    ['10.0.0.0/8', 'http://10.0.0.5:8000', 'ENOTFOUND'],
    ['10.0.0.0/8', 'http://[::ffff:10.0.0.5]:8000', 'ENOTFOUND'],
    ['10.0.0.0/8', 'http://11.0.0.5:8000', 'not_allowed'],
    ['10.0.0.5:8000', 'http://10.0.0.5:8000', 'ENOTFOUND'],
    ['10.0.0.5:8000', 'http://10.0.0.5:8001', 'not_allowed'],
    ['[::1]:8000', 'http://[::1]:8000', 'ENOTFOUND'],
    ['fd00::/8', 'https://[fd00::7]', 'ENOTFOUND'],
    ['10.0.0.0/8', 'http://vllm.example', ['10.0.0.5']],
    ['10.0.0.0/8', 'https://both.example', ['10.0.0.5', '93.184.216.34']],
    ['10.0.0.0/8', 'http://both.example', 'target_not_allowed'],
    ['10.0.0.0/8', 'http://public.example', 'target_not_allowed'],
    ['10.0.0.0/8', 'http://localhost', 'target_not_allowed'],
    ['127.0.0.1:9101', 'http://localhost:9101/v1', ['127.0.0.1']],
    ['127.0.0.1:9101', 'http://localhost:9102/v1', 'target_not_allowed'],
    ['10.0.0.0/8', 'http://llm.internal:8000', ['10.0.0.6']],
    ['10.0.0.0/8', 'https://elsewhere.internal', 'target_not_allowed'],
    ['vllm.example', 'https://elsewhere.internal', 'not_allowed'],
  ];
  for (const [allowed, address, outcome] of cases) {
    it(`${allowed}: ${address} is ${JSON.stringify(outcome)}`, async () => {
      const checked = guardOf([allowed], names).check(address);
      expect('problem' in checked ? checked.code : await connectsTo(checked)).toEqual(outcome);
    });
  }
});
