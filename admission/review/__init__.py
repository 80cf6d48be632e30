"""AdmissionReview ``admission.k8s.io/v1`` on the wire.

The source of every shape is ``k8s.io/api/admission/v1``; what the API server makes of an answer is in
``k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go``.
"""
