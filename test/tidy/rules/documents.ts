import { posix } from 'node:path';
import type { Rule, Violation } from '../rule.ts';
import type { Tree } from '../tree.ts';

const maxReadmeLines = 150;
const maxReadmeColumns = 140;

/** A newcomer reads the README in three minutes; everything else has its page. */
export const shortReadme: Rule = {
  name: 'short README',
  remedy: `Move it into docs/ and leave a link: the README has at most ${maxReadmeLines} lines of at most ${maxReadmeColumns} characters.`,
  find: ({ files }) => {
    const path = 'README.md';
    const lines = (files.get(path) ?? '').trimEnd().split('\n');
    const long = lines.flatMap((line, index): Violation[] =>
      line.length > maxReadmeColumns ? [{ path, line: index + 1, what: `it has ${line.length} characters` }] : [],
    );
    return lines.length > maxReadmeLines ? [...long, { path, line: maxReadmeLines + 1, what: `there are ${lines.length} lines` }] : long;
  },
};

/** What fetches a package by our name, which anybody may have published, from a registry: as a program that runs, or to install it. */
const fetchedByName = [
  /\b(?:npx|npm (?:exec|x)|pnpm (?:dlx|exec)|yarn dlx|bunx)(?: (?:-y|--yes|--))* gatelog(?![\w./-])/,
  /\b(?:npx|npm (?:exec|x)) .*(?:--package[= ]|-p )gatelog(?:@[\w.-]+)?(?![\w./-])/,
  /\b(?:npm (?:i|install|add|init|create)|pnpm (?:i|install|add)|yarn add|bun add)(?: -\S+)* gatelog(?:@[\w.-]+)?(?![\w./-])/,
];

/** Elsewhere than in the clone, npm would fetch a program that anybody may have published under our name, and run it with the reader's key. */
export const ownProgram: Rule = {
  name: 'own program',
  remedy: 'Write `npx --no-install gatelog`, the installed `gatelog`, or `npx --package FILE gatelog`.',
  find: ({ files }) =>
    [...files].flatMap(([path, text]) =>
      path.startsWith('test/tidy/')
        ? []
        : text
            .split('\n')
            .flatMap((line, index): Violation[] =>
              fetchedByName.some((pattern) => pattern.test(line))
                ? [{ path, line: index + 1, what: 'npm may fetch what somebody else has published' }]
                : [],
            ),
    ),
};

/** Every link on a page leads to an existing target. */
export const livingLinks: Rule = {
  name: 'living links',
  remedy: 'Link to a file, a folder or a heading that is there; addresses of the web are not looked at.',
  find: (tree) => [...tree.files.keys()].filter((path) => path.endsWith('.md')).flatMap((path) => deadLinks(tree, path)),
};

function deadLinks(tree: Tree, path: string): Violation[] {
  return proseOf(tree.files.get(path) ?? '').flatMap((text, index) =>
    [...text.matchAll(/\]\(([^()\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(tree, path, target))
      .map((target) => ({ path, line: index + 1, what: `there is no ${target}` })),
  );
}

function leadsSomewhere({ files }: Tree, from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : posix.join(posix.dirname(from), file);
  if (anchor !== undefined) return headingsOf(files.get(path) ?? '').has(anchor);
  return files.has(path) || [...files.keys()].some((other) => other.startsWith(`${path.replace(/\/$/, '')}/`));
}

/** The lines of a page without fenced and inline code. */
function proseOf(markdown: string): readonly string[] {
  let isCode = false;
  return markdown.split('\n').map((line) => {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isCode = !isCode;
    return isFence || isCode ? '' : line.replaceAll(/`[^`]*`/g, '');
  });
}

/** Anchors as GitHub makes them; a repeated heading gets a numbered one. */
function headingsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const anchor = anchorOf(heading);
    let count = 0;
    while (anchors.has(count === 0 ? anchor : `${anchor}-${count}`)) count++;
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
