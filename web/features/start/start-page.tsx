import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { basePath } from '../../lib/base-path.ts';
import { filterJson } from '../../../src/query/language/json.ts';
import type { Filter } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { useMay } from '../../lib/signed-in.ts';
import { arrivedIn } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { Secret } from '../../ui/secret.tsx';
import { examples, type Language } from './examples.ts';
import styles from './start-page.module.css';

const pollMs = 2000;

/** The first call: code with the addresses of this service and a key that was made on the spot, then its record. */
export function StartPage(): ReactNode {
  const [since] = useState(() => Date.now());
  const [key, setKey] = useState<string>();
  const [language, setLanguage] = useState<Language>('curl');
  const gateway = useGatewayAddress();
  return (
    <Page title="Send the first call" about="Make a key, send a call, see it here">
      <Section title="1. A key">
        <KeyMaker apiKey={key} onMade={setKey} />
      </Section>
      <Section title="2. A call" about="The model echo answers itself: it needs no key of a provider">
        <Tabs
          label="Language"
          selected={language}
          onSelect={setLanguage}
          tabs={examples.map(({ id, title, code }) => ({
            id,
            title,
            content: () => <Code text={code({ gateway, key: key ?? 'sk-svc-…' })} />,
          }))}
        />
      </Section>
      <Section title="3. Its record">
        <Waiting since={since} />
      </Section>
    </Page>
  );
}

/** Where the gateway listens, as the service itself says. */
function useGatewayAddress(): string {
  const { data } = useQuery({
    queryKey: ['addresses'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const response = await fetch(`${basePath}/about`, { headers: { accept: 'application/json' }, signal });
      return (await response.json()) as { readonly addresses?: { readonly gateway?: string } };
    },
  });
  return data?.addresses?.gateway ?? 'http://127.0.0.1:8787';
}

interface KeyMakerProps {
  readonly apiKey: string | undefined;
  readonly onMade: (key: string) => void;
}

function KeyMaker({ apiKey, onMade }: KeyMakerProps): ReactNode {
  const mayMake = useMay('admin');
  const [error, setError] = useState<unknown>(null);
  const make = async (): Promise<void> => {
    try {
      const { data } = await gatelog.keys.create({ api_key_name: 'first call', key_permissions: 'w' });
      onMade(data.apiKey);
    } catch (failure) {
      setError(failure);
    }
  };
  if (apiKey !== undefined) return <Secret label="It may send calls and nothing else. It is not shown again." text={apiKey} />;
  if (!mayMake) return <p>You cannot make keys. Use one that you have.</p>;
  return (
    <>
      <ErrorNotice error={error} />
      <div>
        <Button kind="primary" onPress={() => void make()}>
          Make a key for sending calls
        </Button>
      </div>
    </>
  );
}

function Code({ text }: { readonly text: string }): ReactNode {
  return (
    <div className={styles['code']}>
      <pre tabIndex={0} aria-label="Code">
        {text}
      </pre>
      <CopyButton text={text} label="Copy the code" />
    </div>
  );
}

/** Looks for a record every two seconds, and opens the first one. */
function Waiting({ since }: { readonly since: number }): ReactNode {
  const navigate = useNavigate();
  const { data, error } = useQuery({
    queryKey: ['first call', since],
    refetchInterval: ({ state }) => (typeof state.data === 'string' ? false : pollMs),
    queryFn: async ({ signal }) => {
      const filter = filterJson(arrivedIn({ from: since, to: undefined })) as Filter;
      const { data: found } = await gatelog.requests.query({ filter, limit: 1, includeBodies: false }, { signal });
      return found[0]?.request_id ?? null;
    },
  });
  useEffect(() => {
    if (typeof data === 'string') void navigate({ to: '/requests', search: { request: data, range: '1h' } });
  }, [data, navigate]);
  if (error !== null) return <ErrorNotice error={error} />;
  return (
    <p className={styles['waiting']} role="status">
      Waiting for the first call …
    </p>
  );
}
