// Tells the server the zone of the browser, so that times are shown in it from the next page on.
(() => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && /^[A-Za-z0-9_+\-/]+$/.test(zone) && !document.cookie.split("; ").includes(`arena_zone=${zone}`)) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `arena_zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  }
})();
