# An SMSC built on Perl's Net::SMPP, which shares no code with ours: it serves one connection, delivers everything that it
# accepts, and prints what it reads.
use strict;
use warnings;
use Net::SMPP;

$| = 1;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0) or die "can't listen: $!";
print 'port ', $listener->sockport, "\n";
my $session = $listener->accept or die "nobody came: $!";
$session->autoflush(1);
my $last_id = 0;

while (my $pdu = $session->read_pdu) {
    my ($command, $seq) = ($pdu->{cmd}, $pdu->{seq});
    if ($command == Net::SMPP::CMD_bind_transceiver) {
        print "bind $pdu->{system_id} $pdu->{password} $pdu->{interface_version}\n";
        $session->bind_transceiver_resp(seq => $seq, status => 0, system_id => 'perl');
        # The SMSC sends requests too, for itself and for a phone.
        $session->enquire_link(async => 1);
        $session->deliver_sm(async => 1, source_addr => '46701740600', source_addr_ton => 1,
            destination_addr => '46731230001', short_message => 'Hej from Perl');
    }
    elsif ($command == Net::SMPP::CMD_submit_sm) {
        my $id = 'perl' . ++$last_id;
        print join(' ', 'submit', map({ $pdu->{$_} } qw(source_addr_ton source_addr_npi source_addr dest_addr_ton
            dest_addr_npi destination_addr esm_class registered_delivery data_coding validity_period)),
            unpack('H*', $pdu->{short_message})), "\n";
        $session->submit_sm_resp(seq => $seq, message_id => $id);
        $session->deliver_sm(async => 1, esm_class => 4, source_addr => $pdu->{destination_addr},
            destination_addr => '46731230001', short_message =>
            "id:$id sub:001 dlvrd:001 submit date:2611210910 done date:2611210911 stat:DELIVRD err:000 text:");
    }
    elsif ($command == Net::SMPP::CMD_deliver_sm_resp) { print "delivered $pdu->{status}\n" }
    elsif ($command == Net::SMPP::CMD_enquire_link_resp) { print "alive $pdu->{status}\n" }
    elsif ($command == Net::SMPP::CMD_enquire_link) { $session->enquire_link_resp(seq => $seq) }
    elsif ($command == Net::SMPP::CMD_unbind) {
        print "unbind\n";
        $session->unbind_resp(seq => $seq);
        last;
    }
    else { print "unexpected $command $pdu->{status}\n" }
}
