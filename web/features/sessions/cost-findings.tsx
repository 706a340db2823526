import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { SessionItem, SessionNode } from '../../../src/client/client.ts';
import { findingsOf } from './findings.ts';
import styles from './session-page.module.css';
import type { Step } from './trace/steps.ts';
import { comparison } from './usual/usual.ts';
import type { Compared } from './usual/usual-query.ts';

const route = getRouteApi('/shell/sessions/$sessionId');

interface CostFindingsProps {
  readonly session: SessionItem;
  readonly tree: readonly SessionNode[];
  readonly steps: readonly Step[];
  readonly compared: Compared | null | undefined;
}

/** Why it cost so much. */
export function CostFindings({ session, tree, steps, compared }: CostFindingsProps): ReactNode {
  const findings = useMemo(() => findingsOf({ session, tree, requests: steps.map(({ request }) => request) }), [session, tree, steps]);
  const usual = compared?.usual === undefined ? [] : comparison(compared.own, compared.usual);
  if (findings.length + usual.length === 0) return null;
  return (
    <section aria-label="Where the cost went" className={styles['findings']}>
      <h2>Where the cost went</h2>
      <ul>
        {usual.map((text) => (
          <li key={text}>{text}</li>
        ))}
        {findings.map(({ text, requestId }) => (
          <li key={text}>
            {text}{' '}
            {requestId !== undefined && (
              <route.Link to="." search={(search) => ({ ...search, tab: undefined, step: requestId })} state resetScroll={false}>
                Show the step
              </route.Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
