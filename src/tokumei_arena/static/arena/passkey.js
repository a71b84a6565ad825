// Passkeys and security keys: forms marked data-passkey ask the browser for a credential, then send it.
(() => {
  const toBytes = (text) => {
    const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  };
  const toText = (buffer) => {
    const plain = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
    return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  };
  const named = (list) => (list ?? []).map((one) => ({ ...one, id: toBytes(one.id) }));

  // The server writes bytes as text; the browser wants bytes.
  const readOptions = (options) => {
    const key = { ...options.publicKey, challenge: toBytes(options.publicKey.challenge) };
    if (key.user) {
      key.user = { ...key.user, id: toBytes(key.user.id) };
      key.excludeCredentials = named(key.excludeCredentials);
    } else {
      key.allowCredentials = named(key.allowCredentials);
    }
    return { publicKey: key };
  };

  const writeCredential = (credential) => {
    const { response } = credential;
    const found = { clientDataJSON: toText(response.clientDataJSON) };
    if (response.attestationObject) {
      found.attestationObject = toText(response.attestationObject);
      found.transports = response.getTransports?.() ?? [];
    } else {
      found.authenticatorData = toText(response.authenticatorData);
      found.signature = toText(response.signature);
      found.userHandle = response.userHandle ? toText(response.userHandle) : null;
    }
    return JSON.stringify({
      type: credential.type,
      id: credential.id,
      rawId: toText(credential.rawId),
      authenticatorAttachment: credential.authenticatorAttachment,
      clientExtensionResults: credential.getClientExtensionResults(),
      response: found,
    });
  };

  const create = (form) => {
    const options = readOptions(JSON.parse(form.dataset.options).creation_options);
    const alone = form.elements.passwordless?.checked ?? false;
    options.publicKey.authenticatorSelection = {
      ...options.publicKey.authenticatorSelection,
      residentKey: alone ? "required" : "discouraged",
      requireResidentKey: alone,
      ...(alone ? { userVerification: "required" } : {}),
    };
    return navigator.credentials.create(options);
  };

  const get = (form) => navigator.credentials.get(readOptions(JSON.parse(form.dataset.options).request_options));

  const login = async (form) => {
    const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
    if (!answer.ok) {
      throw new Error(`the server answered ${answer.status}`);
    }
    return navigator.credentials.get(readOptions((await answer.json()).request_options));
  };

  const ways = { create, get, login };
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const failed = document.getElementById("passkey-failed");
      failed.hidden = true;
      try {
        const credential = await ways[form.dataset.passkey](form);
        form.elements.credential.value = writeCredential(credential);
        form.submit();
      } catch (error) {
        console.warn(error);
        failed.hidden = false;
      }
    });
  }
})();
