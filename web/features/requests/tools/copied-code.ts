/**
 * A call of curl that asks for the first requests of a filter.
 * @param filter as JSON.
 */
export function curlOf(apiUrl: string, filter: string): string {
  const body = JSON.stringify({ filter: JSON.parse(filter) as unknown, limit: 100 });
  return [
    `curl ${apiUrl}/v1/request/query-clickhouse`,
    `-H "Authorization: Bearer $GATELOG_API_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join(' \\\n  ');
}

/**
 * A program that lists all requests of a filter.
 * @param filter as JSON.
 */
export function clientCodeOf(apiUrl: string, filter: string): string {
  return [
    `import { createClient } from 'gatelog/client';`,
    ``,
    `const gatelog = createClient({ apiUrl: '${apiUrl}' });`,
    `for await (const request of gatelog.requests.each({ filter: ${filter} })) console.log(request.request_id);`,
  ].join('\n');
}
