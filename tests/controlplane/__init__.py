"""A real Kubernetes control plane (kube-apiserver and etcd) on loopback, for the end-to-end tests and the demo.

``build`` finds or builds the binaries, ``caches`` tells what that keeps, ``servers`` starts and stops them, ``client``
talks to them, ``objects`` holds the custom resources the tests write. Imports point down in this order: ``client`` →
``servers`` → ``flags``, ``process``, ``certificates``, ``caches`` → ``build`` → ``loopback``, ``toolchain``. Nothing
here imports the product.

::

    binaries = ensure_binaries(print)
    with ControlPlane(binaries) as plane:
        async with ApiClient.connect(plane) as client:
            await client.create(CRDS, widgets())
            await client.wait_for_crd("widgets.t.example.com")
"""
