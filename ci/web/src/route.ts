// What is shown is the address: #/PAGE?name=value, so that a link restores it and the service needs no other path.

export interface Route {
  page: string;
  params: URLSearchParams;
}

export function parse_route(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return {page: path || 'overview', params: new URLSearchParams(query)};
}

export const current_route = (): Route => parse_route(location.hash);

// The project that is looked at goes along from page to page.
let project = '';
let are_several = false;
export function set_project(name: string): void {
  project = name;
}
export function set_projects(count: number): void {
  are_several = count > 1;
}
// Whether what is shown is of several projects, so that each thing has to say of which.
export const shows_several = (): boolean => are_several && project === '';

export type Params = Record<string, string | number | string[] | null | undefined | false>;

export function href(page: string, params: Params = {}): string {
  const search = new URLSearchParams();
  const all: Params = {project, ...params};
  for (const [name, value] of Object.entries(all)) {
    if (value === null || value === undefined || value === false || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const query = search.toString();
  return `#/${page}${query ? `?${query}` : ''}`;
}

export function go(page: string, params: Params = {}): void {
  location.hash = href(page, params);
}

// Keeps the address in step with what is shown, without a new page: null takes a parameter away.
export function remember(params: Params): void {
  const route = current_route();
  for (const [name, value] of Object.entries(params)) {
    route.params.delete(name);
    if (value === null || value === undefined || value === false || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) route.params.append(name, String(one));
  }
  const query = route.params.toString();
  history.replaceState(null, '', `#/${route.page}${query ? `?${query}` : ''}`);
}
