/**
 * Whether the answer to a request with this query comes bit by bit for as long as somebody reads it: a watch, or a log that is
 * followed. Its silence means nothing. Values are read as the API server reads them.
 */
export function isOpenEnded(query: string | undefined): boolean {
  if (query === undefined || !/watch|follow/.test(query)) return false;
  const parameters = new URLSearchParams(query);
  return ['watch', 'follow'].some((name) => {
    const value = parameters.get(name);
    return value !== null && value !== '0' && value.toLowerCase() !== 'false';
  });
}
