import { type ReactNode, useEffect, useState } from 'react';
import { basePath } from '../../../lib/base-path.ts';
import type { RequestItem } from '../../../../src/client/client.ts';
import { copyText } from '../../../lib/clipboard.ts';
import { type MenuAction, MenuButton } from '../../../ui/overlay/menu-button.tsx';
import { rawBody } from '../raw/raw-bodies.ts';
import { curlOf } from './curl.ts';
import styles from './detail.module.css';

/** Copies the request as a command, its identifier, or a link to it. */
export function CopyMenu({ request }: { readonly request: RequestItem }): ReactNode {
  const { outcome, items } = useCopies(request);
  return (
    <>
      <Outcome text={outcome} />
      <MenuButton label="Copy" kind="quiet" items={items} />
    </>
  );
}

/** What can be copied of a request, and how it went, for a moment. */
export function useCopies(request: RequestItem): { readonly outcome: string; readonly items: readonly MenuAction[] } {
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    if (outcome === '') return undefined;
    const timer = setTimeout(() => setOutcome(''), 3000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (read: () => string): Promise<void> => {
    try {
      setOutcome((await copyText(read())) ? 'Copied' : 'Not copied: the browser copies on HTTPS only');
    } catch (error) {
      setOutcome(error instanceof Error ? error.message : 'Not copied');
    }
  };
  const items = [
    { id: 'curl', title: 'Copy as curl', onPick: () => void copy(() => curlOf(request, rawBody(request.request_body))) },
    { id: 'id', title: 'Copy the identifier', onPick: () => void copy(() => request.request_id) },
    { id: 'link', title: 'Copy a link', onPick: () => void copy(() => linkTo(request.request_id)) },
  ];
  return { outcome, items };
}

export function Outcome({ text }: { readonly text: string }): ReactNode {
  return (
    <span role="status" className={styles['outcome']}>
      {text}
    </span>
  );
}

/** An address that shows the request whatever list it was found in. */
function linkTo(id: string): string {
  return new URL(`${basePath}/requests?${new URLSearchParams({ q: `id:${id}`, range: 'all', request: id }).toString()}`, location.href)
    .href;
}
