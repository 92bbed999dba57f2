//! `by-sigstore sign|verify ADDRESS KEY [SCHEME]`, for a registry without TLS. A key is a PEM file.

use std::error::Error;

use sigstore::cosign::constraint::{Constraint, PrivateKeySigner};
use sigstore::cosign::verification_constraint::{PublicKeyVerifier, VerificationConstraintVec};
use sigstore::cosign::{ClientBuilder, CosignCapabilities, SignatureLayer, verify_constraints};
use sigstore::crypto::SigningScheme;
use sigstore::registry::{Auth, ClientConfig, ClientProtocol, OciReference};
use zeroize::Zeroizing;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, verb, address, key, scheme @ ..] = arguments.as_slice() else { return Err("three arguments".into()) };
    let (address, key): (OciReference, _) = (address.parse()?, std::fs::read(key)?);
    let config = ClientConfig { protocol: ClientProtocol::Http, ..ClientConfig::default() };
    let mut client = ClientBuilder::default().with_oci_client_config(config).build()?;
    let nobody = Auth::Anonymous;
    if verb == "verify" {
        let layers = client.trusted_signature_layers(&nobody, &address).await?;
        let constraints: VerificationConstraintVec = vec![Box::new(PublicKeyVerifier::try_from(&key)?)];
        verify_constraints(&layers, constraints.iter()).map_err(|_| "not verified")?;
        println!("verified");
        return Ok(());
    }
    let (place, digest) = client.triangulate(&address, &nobody).await?;
    let mut layer = SignatureLayer::new_unsigned(&address, &digest)?;
    let scheme = SigningScheme::try_from(scheme.first().map_or("ED25519", String::as_str))?;
    let signer = PrivateKeySigner::new_with_raw(Zeroizing::new(key), Zeroizing::default(), &scheme)?;
    signer.add_constraint(&mut layer)?;
    client.push_signature(None, &nobody, &place, vec![layer]).await?;
    println!("signed");
    Ok(())
}
